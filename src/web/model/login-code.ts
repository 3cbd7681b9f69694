// The code of a link that signs a browser in: `#/login/<code>`. Behind `#` no server and no log sees it. Pure.

const LINK = /^#?\/?login\//
/** Longer texts are no codes; what is sent is bounded. */
const MAX_LENGTH = 64

/** The code in an address; null: it is no such link. What is no code is refused by the node in its words. */
export function loginCodeIn(hash: string): string | null {
  if (!LINK.test(hash)) return null
  return hash.replace(LINK, '').slice(0, MAX_LENGTH) || '-'
}
