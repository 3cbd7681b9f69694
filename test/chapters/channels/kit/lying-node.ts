// The node's command line, but a liar in the overlay of channels: the last byte of each longer answer is wrong. Runs
// the plain modules, which share what is changed here; started as the command line is.

import { loadChapters } from '../../../../src/app/chapters.ts'
import { Overlay } from '../../../../src/chapters/overlay/core/overlay.ts'
import { answerPart } from '../../../../src/chapters/channels/wire/channel-messages.ts'
import { MESSAGE_ID_AT } from '../../../../src/chapters/overlay/wire/packet.ts'
import { Secret } from '../../../../src/base/secret.ts'

/** Bytes of an answer that holds something. */
const HOLDS_SOMETHING = 120

const send = Object.getOwnPropertyDescriptor(Overlay.prototype, 'sendBytes')?.value as Overlay['sendBytes']

Overlay.prototype.sendBytes = function spoilt(packet, to) {
  const isAnswer = packet[MESSAGE_ID_AT] === answerPart.id && packet.length > HOLDS_SOMETHING
  const bytes = isAnswer ? Uint8Array.from(packet) : packet
  if (isAnswer) bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 0xff
  send.call(this, bytes, to)
}

/** The arguments of `start`, as the kit gives them. */
function settingsOf(args: readonly string[]): { stateDir: string | null; flags: [string, string | Secret][] } {
  const flags: [string, string | Secret][] = []
  let stateDir: string | null = null
  for (let at = 0; at < args.length; at++) {
    const value = args[at + 1] ?? ''
    if (args[at] === '--state-dir') stateDir = value
    if (args[at] === '--port') flags.push(['api.http_port', value])
    if (args[at] === '--set') flags.push([value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1)])
  }
  return { stateDir, flags }
}

const { runNode } = await import('../../../../src/node/main.ts')
const { code } = await runNode({
  ...settingsOf(process.argv.slice(2)),
  apiKeyFile: null,
  chapters: await loadChapters(),
})
process.exitCode = code
