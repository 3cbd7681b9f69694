// Where the project lies, seen from its built tests: dist*/test/kit.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's top folder, absolute. */
export const projectRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
