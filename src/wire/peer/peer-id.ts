// The peer id of this node (BEP 20, Azureus style): `-TB0100-` and twelve random characters.

/** What every peer id of this program begins with. */
export const PEER_ID_PREFIX = '-TB'

/** Letters and digits only: they need no escape in announce urls. 64 of them, so that no character is likelier. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-.'

/** A fresh peer id of 20 bytes for a version such as `0.1.0` (each number one digit or letter, 0 to 35). */
export function makePeerId(random: { bytes(count: number): Uint8Array }, version: string): Uint8Array {
  const numbers = version.split(/[.+-]/, 3)
  const digits = [0, 1, 2].map(index => versionDigit(numbers[index])).join('')
  const tail = Array.from(random.bytes(12), byte => ALPHABET[byte & 63]).join('')
  return Buffer.from(`${PEER_ID_PREFIX}${digits}0-${tail}`, 'latin1')
}

function versionDigit(text: string | undefined): string {
  const number = Math.min(35, Number.parseInt(text ?? '0', 10) || 0)
  return Math.max(0, number).toString(36).toUpperCase()
}
