// Removes what must not be in a log: keys and passwords anywhere, and addresses of other people's machines in lines
// that are always written. An address becomes a tag, the same one for the whole run, so that lines can be matched; the
// address cannot be computed from it. Pure but for its salt.

import { createHmac } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'

const BLOT = '***'
/** Hexadecimal digits of a tag: thousands of peers get different ones. */
const TAG_DIGITS = 8

/** Fields of this name hold what opens something. */
const SECRET_FIELD =
  /"((?:x-api-key|api_?key|key|passkey|token|secret|password|proxy_auth|authorization|cookie))":"(?:[^"\\]|\\.)*"/gi
const SECRET_PARAMETER = /([?&](?:key|apikey|api_key|token|passkey|secret|password|auth)=)[^&\s"'#\\]+/gi
const BEARER = /\b(Bearer|Basic) +[\w.~+/=-]+/gi
/** `user:password@` of a URL. */
const USER_INFO = /(\w:\/\/)[^/\s"@]+@/g
/** Private trackers know their users by a part of the path. */
const PASSKEY_PATH = /\/[\da-z_-]{16,}(\/(?:announce|scrape))/gi

const IPV4 = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/g
const IPV6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{1,4})?(?![\w:])/gi
/** This machine, no machine, machines of a home network, and groups: these identify no person. */
const IMPERSONAL_4 = /^(?:127\.|0\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|22[4-9]\.|23\d\.|255\.)/
const IMPERSONAL_6 = /^(?:::1?|ff[\da-f]{2}:.*)$/i

/** Takes out what is secret. */
export function withoutSecrets(line: string): string {
  return line
    .replace(SECRET_FIELD, `"$1":"${BLOT}"`)
    .replace(SECRET_PARAMETER, `$1${BLOT}`)
    .replace(BEARER, `$1 ${BLOT}`)
    .replace(USER_INFO, `$1${BLOT}@`)
    .replace(PASSKEY_PATH, `/${BLOT}$1`)
}

/** Puts tags in the place of personal addresses; `salt` is random, and of this run. */
export function withoutAddresses(line: string, salt: Uint8Array): string {
  const tag = (ip: string): string => {
    const digest = createHmac('sha256', salt).update(ip.toLowerCase()).digest('hex')
    return `address-${digest.slice(0, TAG_DIGITS)}`
  }
  return line
    .replace(IPV6, text => (isIPv6(text) && !IMPERSONAL_6.test(text) && !isMappedImpersonal(text) ? tag(text) : text))
    .replace(IPV4, text => (isIPv4(text) && !IMPERSONAL_4.test(text) ? tag(text) : text))
}

function isMappedImpersonal(text: string): boolean {
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1]
  return mapped !== undefined && IMPERSONAL_4.test(mapped)
}
