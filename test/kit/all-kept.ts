// What the chapters keep in the state directory.

import { loadChapters } from '../../src/app/chapters.ts'

/** Of each chapter. */
export const allKept = (await loadChapters()).map(({ kept }) => kept)
