// What the page of one channel says of its mode, its feeds and who wrote in it. Pure.

import type { ChannelFeed } from '../../client/routes.ts'
import { duration } from '../../../../web/model/format.ts'
import { text } from '../texts/channel.ts'
import { ago, type ChannelMode } from './channel-words.ts'

/** Digits of a key by which people tell authors apart. */
const KEY_DIGITS = 8

/** Who may do what in a channel: choices with what they mean. */
export const modeChoices: readonly { readonly mode: ChannelMode; readonly name: string; readonly help: string }[] = [
  { mode: 'closed', name: text('closed'), help: text('closedHelp') },
  { mode: 'semi-open', name: text('semiOpen'), help: text('semiOpenHelp') },
  { mode: 'open', name: text('open'), help: text('openHelp') },
]

/** The name of a mode. */
export function modeName(mode: ChannelMode): string {
  return modeChoices.find(choice => choice.mode === mode)?.name ?? mode
}

/** Where a feed stands. */
export function feedText({ last_check: checked, next_check: next, error }: ChannelFeed, nowSec: number): string {
  const time = next > nowSec ? duration(next - nowSec) : ''
  if (error !== '') return time === '' ? text('feedFailed', { error }) : text('feedFailedNext', { error, time })
  if (checked <= 0) return time === '' ? text('feedNew') : text('feedNewNext', { time })
  const when = ago(checked, nowSec)
  return time === '' ? text('feedRead', { when }) : text('feedReadNext', { when, time })
}

/** Who wrote something: this node, the owner of the channel, or the beginning of a key. */
export function authorText(author: string, { mine, byOwner }: { mine: boolean; byOwner: boolean }): string {
  if (mine) return text('you')
  return byOwner ? text('owner') : author.slice(0, KEY_DIGITS)
}
