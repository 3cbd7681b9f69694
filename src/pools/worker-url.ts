// Where the worker files lie in the built tree, found from this module and never from the working directory.

/** The file of the piece worker. */
export const pieceWorkerUrl = new URL('../../workers/piece.js', import.meta.url)

/** The file of the seal worker. */
export const sealWorkerUrl = new URL('../../workers/seal.js', import.meta.url)
