// The name of the store's file, for those who only look whether it is there and need not load the store.

/** Name of the database in the state directory. */
export const DATABASE_FILE_NAME = 'tributary.db'
