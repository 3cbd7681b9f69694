// What is shown at a place of wallets: all of them, or the page of one.

import '../wallets.css'
import { coinAt } from '../model/wallet-places.ts'
import { WalletPage } from './wallet-page.tsx'
import { WalletsPage } from './wallets-page.tsx'

/** What is shown at a place of wallets. `parts`: those of its address behind the id. */
export function WalletPlace({ parts }: { parts: readonly string[] }) {
  const coin = coinAt(parts)
  return coin === '' ? <WalletsPage /> : <WalletPage key={coin} coin={coin} />
}
