// The name of the store's file, for callers that only look whether it is there and need not load the store.

/** Name of the database in the state directory. */
export const DATABASE_FILE_NAME = 'tributary.db'

/** The note beside a store at `path` that says that it was made (made-stores.ts). */
export function madeNote(path: string): string {
  return `${path}.made`
}

/** Name of the whole copy that is made before the file is brought on from `schema`. */
export function copyPath(path: string, schema: number): string {
  return `${path}.schema-${schema}`
}
