// Which room a file of src lies in: a folder of src, or of a chapter the folder below it (`chapters/wallets/core`).

/** Path from the project's top -> the room; '' for what lies beside the folders. */
export function roomOf(path: string): string {
  const parts = path.split('/')
  if (parts[1] !== 'chapters') return parts[1] ?? ''
  return parts.slice(1, parts.length > 4 ? 4 : 3).join('/')
}

/** The chapter of a file of src; null for the core's. */
export function chapterOf(path: string): string | null {
  return /^src\/chapters\/([a-z]+)\//.exec(path)?.[1] ?? null
}
