// Where the machine code of src/native lies in the built tree. It is optional: who loads it has something else to go
// by.

import { fileURLToPath } from 'node:url'

/** Where `make build` puts it; as deep as the program that is made of all modules (src/io/worker-url.ts). */
export const nativeFile = fileURLToPath(new URL('../native/tributary.node', import.meta.url))
