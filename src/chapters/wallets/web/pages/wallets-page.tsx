// Wallets: what each has, and whether it can spend; creating them, locking them, and the seed of them all.

import { useState } from 'preact/hooks'
import type { Wallet } from '../../client/routes.ts'
import { coins } from '../model/amounts.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { walletPlace } from '../model/wallet-places.ts'
import { session } from '../../../../web/node/context.ts'
import { lock, walletsNow } from '../node/wallet-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { CreateWalletDialog, ExportSeedDialog, RestoreSeedDialog, UnlockDialog } from './wallet-dialogs.tsx'

const EVERY_MS = 5000

interface Asked {
  readonly what: 'create' | 'unlock' | 'export' | 'restore'
  readonly coin: string
}

function LockButton({ wallet, ask, changed }: CardProps) {
  const { identifier: coin, unlocked } = wallet
  const lockNow = async () => {
    await session.attempt(() => lock(coin), `${coin} is locked.`)
    changed()
  }
  return unlocked ? (
    <button type="button" onClick={() => void lockNow()}>
      Lock
    </button>
  ) : (
    <button type="button" onClick={() => ask({ what: 'unlock', coin })}>
      Unlock…
    </button>
  )
}

interface CardProps {
  readonly wallet: Wallet
  ask(asked: Asked): void
  changed(): void
}

function WalletCard(props: CardProps) {
  const { identifier: coin, name, created, unlocked, balance, problem, network } = props.wallet
  return (
    <section class="card wallet-card" aria-labelledby={`wallet-${coin}`} data-wallet={coin}>
      <h2 id={`wallet-${coin}`}>
        {name} <span class="muted">{coin}</span>
      </h2>
      {created && (
        <>
          <p class="amount number">{coins(balance.available_exact, coin)}</p>
          {balance.reserved !== 0 && (
            <p class="muted number">{coins(balance.reserved_exact, coin)} of it set aside for the market</p>
          )}
          {balance.pending !== 0 && <p class="muted number">{coins(balance.pending_exact, coin)} on the way</p>}
          <p class="muted">
            {unlocked ? 'Unlocked: it can spend.' : 'Locked.'} Chain: {network}.
          </p>
        </>
      )}
      {problem !== '' && (
        <p class={created ? 'fault' : 'muted'} dir="auto">
          {problem}
        </p>
      )}
      <div class="money-actions">
        {created ? (
          <>
            <a class="button" href={addressOf(walletPlace(coin))}>
              Open {coin}
            </a>
            <LockButton {...props} />
          </>
        ) : (
          <button type="button" onClick={() => props.ask({ what: 'create', coin })}>
            Create {coin}…
          </button>
        )}
      </div>
    </section>
  )
}

function Dialogs({ asked, changed, onClose }: { asked: Asked | null; changed: () => void; onClose: () => void }) {
  if (asked === null) return null
  const common = { coin: asked.coin, changed, onClose }
  switch (asked.what) {
    case 'create':
      return <CreateWalletDialog {...common} />
    case 'unlock':
      return <UnlockDialog {...common} />
    case 'export':
      return <ExportSeedDialog onClose={onClose} />
    case 'restore':
      return <RestoreSeedDialog onClose={onClose} />
  }
}

/** Wallets: what each has, and whether it can spend; creating them, locking them, and the seed of them all. */
export function WalletsPage() {
  const { value, problem, refresh } = useAnswer(walletsNow, [], EVERY_MS)
  const [asked, setAsked] = useState<Asked | null>(null)
  const hasSeed = value?.some(({ created }) => created) ?? false
  return (
    <div class="page money">
      <header class="page-head">
        <h1>Wallets</h1>
        {value !== null && (
          <button type="button" onClick={() => setAsked({ what: hasSeed ? 'export' : 'restore', coin: '' })}>
            {hasSeed ? 'Show the seed…' : 'Restore a seed…'}
          </button>
        )}
      </header>
      {value === null && <p class="card muted">{problem === '' ? 'Asking the node…' : problem}</p>}
      <div class="cards">
        {value?.map(wallet => (
          <WalletCard key={wallet.identifier} wallet={wallet} ask={setAsked} changed={refresh} />
        ))}
      </div>
      <Dialogs asked={asked} changed={refresh} onClose={() => setAsked(null)} />
    </div>
  )
}
