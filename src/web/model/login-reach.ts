// From where a sign-in link for a phone is to work: the local network, unless the node is used under a name of the
// internet. Pure.

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|lan|home|internal|home\.arpa)\.?$/i
const LITERAL = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i

/** Whether a link to `host` is to work from anywhere: a name with dots that is none of a local network. */
export function isBeyondNetwork(host: string): boolean {
  return !LITERAL.test(host) && host.includes('.') && !LOCAL_NAME.test(host)
}
