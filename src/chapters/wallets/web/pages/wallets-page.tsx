// Wallets: what each has, and whether it can spend; creating them, locking them, and the seed of them all.

import { useState } from 'preact/hooks'
import type { Wallet } from '../../client/routes.ts'
import { coins } from '../model/amounts.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { walletPlace } from '../model/wallet-places.ts'
import { session } from '../../../../web/node/context.ts'
import { lock, walletsNow } from '../node/wallet-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { Check } from '../../../../web/parts/field.tsx'
import { CreateWalletDialog, ExportSeedDialog, RestoreSeedDialog, UnlockDialog } from './wallet-dialogs.tsx'
import { text } from '../texts/wallets.ts'

const EVERY_MS = 5000

interface Asked {
  readonly what: 'create' | 'unlock' | 'export' | 'restore'
  readonly coin: string
}

function LockButton({ wallet, ask, changed }: CardProps) {
  const { identifier: coin, unlocked } = wallet
  const lockNow = async () => {
    await session.attempt(() => lock(coin), text('isLocked', { coin }))
    changed()
  }
  return unlocked ? (
    <button type="button" onClick={() => void lockNow()}>
      {text('lock')}
    </button>
  ) : (
    <button type="button" onClick={() => ask({ what: 'unlock', coin })}>
      {text('unlockLater')}
    </button>
  )
}

/** Coins of test networks are worth nothing. */
function isOfTests({ identifier }: Wallet): boolean {
  return /^T(BTC|LTC|ETH)$/.test(identifier)
}

interface CardProps {
  readonly wallet: Wallet
  ask(asked: Asked): void
  changed(): void
}

function WalletCard(props: CardProps) {
  const { identifier: coin, name, created, unlocked, balance, problem, network, has_server: hasServer } = props.wallet
  return (
    <section class="card wallet-card" aria-labelledby={`wallet-${coin}`} data-wallet={coin}>
      <h2 id={`wallet-${coin}`}>
        <bdi>{name}</bdi> <bdi class="muted">{coin}</bdi>
      </h2>
      {created && (
        <>
          <p class="amount number">{coins(balance.available_exact, coin)}</p>
          {balance.reserved !== 0 && (
            <p class="muted number">{text('setAside', { amount: coins(balance.reserved_exact, coin) })}</p>
          )}
          {balance.pending !== 0 && (
            <p class="muted number">{text('onTheWay', { amount: coins(balance.pending_exact, coin) })}</p>
          )}
          <p class="muted">
            {unlocked ? text('unlocked') : text('locked')} {text('chain', { network })}
          </p>
        </>
      )}
      {created && problem !== '' && (
        <p class="fault" dir="auto" lang="en">
          {problem}
        </p>
      )}
      {!created && !hasServer && (
        <p class="muted">{text('noServer', { coin, setting: `wallets.${coin.toLowerCase()}_server` })}</p>
      )}
      <div class="money-actions">
        {created ? (
          <>
            <a class="button" href={addressOf(walletPlace(coin))}>
              {text('open', { coin })}
            </a>
            <LockButton {...props} />
          </>
        ) : hasServer ? (
          <button type="button" onClick={() => props.ask({ what: 'create', coin })}>
            {text('createLater', { coin })}
          </button>
        ) : (
          <a class="button" href={addressOf({ page: 'settings' })}>
            {text('openSettings')}
          </a>
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
  const [test, setTest] = useState(false)
  const shown = value?.filter(wallet => test || wallet.created || !isOfTests(wallet)) ?? []
  const hasSeed = value?.some(({ created }) => created) ?? false
  return (
    <div class="page money">
      <header class="page-head">
        <h1>{text('wallets')}</h1>
        {value !== null && (
          <button type="button" onClick={() => setAsked({ what: hasSeed ? 'export' : 'restore', coin: '' })}>
            {hasSeed ? text('showSeedLater') : text('restoreSeedLater')}
          </button>
        )}
      </header>
      {value === null && <p class="card muted">{problem === '' ? text('asking') : problem}</p>}
      <p class="muted">{text('about')}</p>
      {value !== null && <Check label={text('showTest')} value={test} set={setTest} />}
      <div class="cards">
        {shown.map(wallet => (
          <WalletCard key={wallet.identifier} wallet={wallet} ask={setAsked} changed={refresh} />
        ))}
      </div>
      <Dialogs asked={asked} changed={refresh} onClose={() => setAsked(null)} />
    </div>
  )
}
