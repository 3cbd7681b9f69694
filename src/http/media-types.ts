// Media types of files by their names. The table is large, and loaded when the first name is looked at
// (src/build/first-use.json).

import mime from 'mime'

/** The type that the ending of `name` stands for; null: nobody knows it. */
export function mediaTypeOf(name: string): string | null {
  return mime.getType(name)
}
