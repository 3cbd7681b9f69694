// Its name is all that a node that reads no film has of it.

/** The folder of facts, in the state directory. */
export const MEDIA_FOLDER = 'media'
