// One wallet: the address to be paid at, a transfer with what it costs, what came in and went out.

import { useState } from 'preact/hooks'
import type { Wallet, WalletTransaction } from '../../client/routes.ts'
import { coins, isAmount } from '../model/amounts.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { walletsHome } from '../model/wallet-places.ts'
import { languageTag } from '../../../../web/language/texts.ts'
import { session } from '../../../../web/node/context.ts'
import { feesOf, historyOf, raiseFee, transfer, walletsNow } from '../node/wallet-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { CopyButton } from '../../../../web/parts/copy-button.tsx'
import { DialogForm } from '../../../../web/parts/dialog-form.tsx'
import { FactList } from '../../../../web/parts/facts.tsx'
import { Field } from '../../../../web/parts/field.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { SecretField } from '../../../../web/parts/secret-field.tsx'
import { UnlockDialog } from './wallet-dialogs.tsx'
import { text } from '../texts/wallets.ts'

const EVERY_MS = 5000

interface Planned {
  readonly amount: string
  readonly destination: string
  readonly fee: string
  /** Of this transfer alone: sent twice, it is one. */
  readonly key: string
}

interface ConfirmProps {
  readonly coin: string
  readonly planned: Planned
  sent(): void
  onClose(): void
}

function ConfirmDialog({ coin, planned, sent, onClose }: ConfirmProps) {
  const { amount, destination, fee, key } = planned
  const [spendKey, setSpendKey] = useState('')
  const submit = async () => {
    const { txid, sent: arrived } = await transfer(coin, { amount, destination, spendKey, key })
    session.notify(arrived ? text('sent', { txid }) : text('signed', { txid }))
    sent()
  }
  return (
    <DialogForm
      title={text('transferCoin', { coin })}
      action={text('transfer')}
      ready
      submit={submit}
      onClose={onClose}
    >
      <FactList
        facts={[
          [text('amount'), coins(amount, coin)],
          [text('to'), destination],
          [text('feeOnTop'), coins(fee, coin)],
        ]}
      />
      <p>{text('noWayBack')}</p>
      <SecretField label={text('spendKey')} value={spendKey} help={text('spendKeyHelp')} set={setSpendKey} />
    </DialogForm>
  )
}

function Transfer({ wallet, changed }: { wallet: Wallet; changed: () => void }) {
  const { identifier: coin, unlocked } = wallet
  const [amount, setAmount] = useState('')
  const [destination, setDestination] = useState('')
  const [planned, setPlanned] = useState<Planned | null>(null)
  const [unlocking, setUnlocking] = useState(false)
  const plan = async (event: Event) => {
    event.preventDefault()
    await session.attempt(async () => {
      const { fee_exact: fee } = await feesOf(coin, amount.trim(), destination.trim())
      const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0'))
      setPlanned({ amount: amount.trim(), destination: destination.trim(), fee, key: key.join('') })
    })
  }
  const sent = () => {
    setPlanned(null)
    setAmount('')
    setDestination('')
    changed()
  }
  return (
    <form class="card options" aria-label={text('transfer')} onSubmit={event => void plan(event)}>
      <h2>{text('transfer')}</h2>
      <Field label={text('amount')} value={amount} numeric placeholder="0.25" set={setAmount} />
      <Field label={text('toAddress')} value={destination} set={setDestination} />
      <div class="form-actions">
        {unlocked ? (
          <button type="submit" class="primary" disabled={!isAmount(amount) || destination.trim() === ''}>
            {text('check')}
          </button>
        ) : (
          <button type="button" onClick={() => setUnlocking(true)}>
            {text('unlockLater')}
          </button>
        )}
      </div>
      {unlocking && <UnlockDialog coin={coin} changed={changed} onClose={() => setUnlocking(false)} />}
      {planned !== null && <ConfirmDialog coin={coin} planned={planned} sent={sent} onClose={() => setPlanned(null)} />}
    </form>
  )
}

function HistoryRow({ line, raise }: { line: WalletTransaction; raise: () => void }) {
  const { id, outgoing, amount_exact: amount, fee_exact: fee, confirmations, currency, timestamp, to } = line
  const when = new Date(Number(timestamp) * 1000).toLocaleString(languageTag())
  return (
    <li class="order-row" data-transaction={id}>
      <div class="order-head">
        <strong class="number">
          {outgoing ? '−' : '+'}
          {coins(amount, currency)}
        </strong>
        <span class="muted">
          {confirmations === 0 ? text('waitsForBlock') : text('confirmations', { count: confirmations })} · {when}
        </span>
      </div>
      <span class="sub mono address">
        {outgoing ? text('sentTo', { address: to }) : text('received')} · {id}
      </span>
      {outgoing && (
        <span class="sub muted">
          {text('fee', { amount: coins(fee, currency) })}
          {confirmations === 0 && (
            <button type="button" class="quiet" onClick={raise}>
              {text('raiseFee')}
            </button>
          )}
        </span>
      )}
    </li>
  )
}

function History({ coin }: { coin: string }) {
  const { value, problem, refresh } = useAnswer(signal => historyOf(coin, signal), [coin], EVERY_MS)
  const { shown, more } = useParts(value ?? [])
  const raise = async (txid: string) => {
    await session.attempt(() => raiseFee(coin, txid), text('feeRaised'))
    refresh()
  }
  return (
    <section class="card wide" aria-labelledby="history">
      <h2 id="history">{text('history')}</h2>
      {value === null && <p class="muted">{problem === '' ? text('asking') : problem}</p>}
      {value?.length === 0 && <p class="muted">{text('nothingYet')}</p>}
      <ul>
        {shown.map(line => (
          <HistoryRow key={line.id} line={line} raise={() => void raise(line.id)} />
        ))}
      </ul>
      {more}
    </section>
  )
}

/** One wallet: the address to be paid at, a transfer with what it costs, what came in and went out. */
export function WalletPage({ coin }: { coin: string }) {
  const { value, problem, refresh } = useAnswer(walletsNow, [], EVERY_MS)
  const wallet = value?.find(({ identifier, created }) => created && identifier === coin)
  return (
    <div class="page money">
      <a class="back" href={addressOf(walletsHome)}>
        <Icon name="back" size={16} /> {text('wallets')}
      </a>
      <h1>{wallet === undefined ? coin : wallet.name}</h1>
      {value === null && <p class="card muted">{problem === '' ? text('asking') : problem}</p>}
      {value !== null && wallet === undefined && <p class="card muted">{text('notCreated')}</p>}
      {wallet !== undefined && (
        <div class="cards">
          <section class="card wallet-card" aria-labelledby="balance">
            <h2 id="balance">{text('balance')}</h2>
            <p class="amount number">{coins(wallet.balance.available_exact, coin)}</p>
            <p class="muted number">{text('onTheWay', { amount: coins(wallet.balance.pending_exact, coin) })}</p>
            {wallet.balance.reserved !== 0 && (
              <p class="muted number">{text('setAside', { amount: coins(wallet.balance.reserved_exact, coin) })}</p>
            )}
            {wallet.problem !== '' && (
              <p class="fault" lang="en">
                {wallet.problem}
              </p>
            )}
            <h3>{text('paidAt')}</h3>
            <p class="mono address">{wallet.address}</p>
            <div class="money-actions">
              <CopyButton label={text('copy')} what={text('address')} text={() => wallet.address} />
            </div>
          </section>
          <Transfer wallet={wallet} changed={refresh} />
          <History coin={coin} />
        </div>
      )}
    </div>
  )
}
