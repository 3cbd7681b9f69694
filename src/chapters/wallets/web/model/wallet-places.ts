// Places in the pages of wallets, as parts of their addresses and back. Pure.

import { type ChapterPlace, chapterPlace } from '../../../../web/model/place.ts'

/** The list of wallets. */
export const walletsHome: ChapterPlace = chapterPlace('wallets')

/** The page of one wallet, by its coin: `BTC`. */
export function walletPlace(coin: string): ChapterPlace {
  return chapterPlace('wallets', coin)
}

/** The coin whose wallet a place shows; empty: the list. */
export function coinAt([coin = '']: readonly string[]): string {
  return /^[A-Z]{3,4}$/.test(coin) ? coin : ''
}
