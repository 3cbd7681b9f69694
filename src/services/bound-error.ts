// Errors as a key gets them that is bound to a label (decision 0572).

/** An info hash in a text. */
const INFO_HASH = /[0-9a-f]{40}/i

/** An error of a download as the key gets it: one may name the download that is the same torrent, or has its place. */
export function boundError(error: string): string {
  return INFO_HASH.test(error) ? 'It cannot be downloaded here; whoever runs the node can see why.' : error
}
