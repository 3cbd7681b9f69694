// A language for tests: English in letters that no English text has, and a third longer, so that what is not in the
// catalogue and what does not fit is seen at once. Chosen by its tag as any other. Pure.

/** Its tag, as others call theirs: English with accents. */
export const PSEUDO = 'en-XA'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const STRANGE = [...'åƀçđéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇĐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ']

/** The text in strange letters, with what makes it a third longer. */
export function pseudoText(text: string): string {
  const strange = Array.from(text, letter => STRANGE[LETTERS.indexOf(letter)] ?? letter).join('')
  return `${strange}${'·'.repeat(Math.ceil(text.length / 3))}`
}
