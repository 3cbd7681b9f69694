// Limits of speed for a line that is not the node's alone: what others in the house need stays free. Pure.

/** Of the download that is used. */
const DOWN_SHARE = 0.9
/** Of the upload that is used: a full one delays everything else, downloads too, whose receipts go out by it. */
const UP_SHARE = 0.8

/** The limits for a line, bytes a second; null = no limit for a way whose speed is not known. */
export function limitsFor(line: { readonly down: number; readonly up: number }): {
  readonly down: number | null
  readonly up: number | null
} {
  return { down: shareOf(line.down, DOWN_SHARE), up: shareOf(line.up, UP_SHARE) }
}

function shareOf(bytesPerSec: number, share: number): number | null {
  return bytesPerSec > 0 ? Math.max(1, Math.round(bytesPerSec * share)) : null
}

/** Where the node keeps what it has: as a service of the system or in a container, or as somebody's own program. */
export function isService(configurationFile: string): boolean {
  return configurationFile.startsWith('/var/lib/')
}
