// The name of the catalogue's file, for callers that only look whether it is there and need not load the catalogue.

/** Name of the database in the state directory. */
export const CATALOGUE_FILE_NAME = 'catalogue.db'
