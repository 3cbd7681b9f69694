// Places an order: what is sold or bought, at which price; what it comes to and what it costs is shown before.

import { useId, useState } from 'preact/hooks'
import type { MarketFees } from '../../client/routes.ts'
import { coins, isAmount } from '../../../wallets/web/model/amounts.ts'
import { marketPlace } from '../model/market-places.ts'
import { type OrderWords, placesOf, totalOf } from '../model/market-words.ts'
import { go, session } from '../../../../web/node/context.ts'
import { marketFees, placeOrder } from '../node/market-requests.ts'
import { DialogForm } from '../../../../web/parts/dialog-form.tsx'
import { FactList } from '../../../../web/parts/facts.tsx'
import { Field } from '../../../../web/parts/field.tsx'
import { SecretField } from '../../../../web/parts/secret-field.tsx'
import { text } from '../texts/market.ts'

const COINS = ['BTC', 'LTC', 'ETH', 'TBTC', 'TLTC', 'TETH'] as const
const TIMES: readonly (readonly [number, string])[] = [
  [1, text('anHour')],
  [6, text('sixHours')],
  [24, text('aDay')],
]

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  set(value: string): void
}

function Select({ label, value, options, set }: SelectProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={event => set(event.currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

interface Planned {
  readonly words: OrderWords
  readonly fees: MarketFees
  readonly key: string
}

function ConfirmDialog({ planned, placed, onClose }: { planned: Planned; placed: () => void; onClose: () => void }) {
  const { words, fees, key } = planned
  const { side, quantity, price, quantityType, priceType } = words
  const [spendKey, setSpendKey] = useState('')
  const asks = side === 'ask'
  const submit = async () => {
    const number = await placeOrder(words, key, spendKey)
    session.notify(text('orderStands', { number }))
    placed()
  }
  return (
    <DialogForm
      title={asks ? text('sell', { coin: quantityType }) : text('buy', { coin: quantityType })}
      action={text('place')}
      ready
      submit={submit}
      onClose={onClose}
    >
      <FactList
        facts={[
          [asks ? text('youGive') : text('youGet'), coins(quantity, quantityType)],
          [
            asks ? text('youGetAtLeast') : text('youGiveAtMost'),
            coins(totalOf(quantity, price, placesOf(priceType)), priceType),
          ],
          [text('feesIn', { coin: quantityType }), asks ? fees.ask_quantity_fee_exact : fees.bid_quantity_fee_exact],
          [text('feesIn', { coin: priceType }), asks ? fees.ask_price_fee_exact : fees.bid_price_fee_exact],
          [text('least'), coins(fees.least_quantity_exact, quantityType)],
        ]}
      />
      <p class="muted">{text('setAsideNow')}</p>
      <p>{text('canBeLost')}</p>
      <SecretField label={text('spendKey')} value={spendKey} help={text('spendKeyHelp')} set={setSpendKey} />
    </DialogForm>
  )
}

const first: OrderWords = { side: 'ask', quantity: '', price: '', quantityType: 'LTC', priceType: 'BTC', hours: 1 }

/** Places an order: what is sold or bought, at which price; what it comes to and what it costs is shown before. */
export function OrderForm({ changed }: { changed: () => void }) {
  const [words, setWords] = useState<OrderWords>(first)
  const [planned, setPlanned] = useState<Planned | null>(null)
  const { side, quantity, price, quantityType, priceType, hours } = words
  const change = (some: Partial<OrderWords>) => setWords({ ...words, ...some })
  const types = COINS.map(coin => [coin, coin] as const)
  const total = totalOf(quantity, price, placesOf(priceType))
  const plan = async (event: Event) => {
    event.preventDefault()
    await session.attempt(async () => {
      const fees = await marketFees(words)
      const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0'))
      setPlanned({ words, fees, key: key.join('') })
    })
  }
  const placed = () => {
    setPlanned(null)
    setWords({ ...words, quantity: '', price: '' })
    changed()
    go(marketPlace('orders'))
  }
  return (
    <form class="card options order-form" aria-label={text('newOrder')} onSubmit={event => void plan(event)}>
      <h2>{text('newOrder')}</h2>
      <Select
        label={text('want')}
        value={side}
        options={[
          ['ask', text('sell', { coin: quantityType })],
          ['bid', text('buy', { coin: quantityType })],
        ]}
        set={value => change({ side: value === 'bid' ? 'bid' : 'ask' })}
      />
      <div class="pair">
        <Field
          label={text('quantity')}
          value={quantity}
          numeric
          placeholder="1.5"
          set={value => change({ quantity: value.trim() })}
        />
        <Select
          label={text('coin')}
          value={quantityType}
          options={types}
          set={value => change({ quantityType: value })}
        />
      </div>
      <div class="pair">
        <Field
          label={text('priceOfOne', { coin: quantityType })}
          value={price}
          numeric
          placeholder="0.0021"
          set={value => change({ price: value.trim() })}
        />
        <Select label={text('paidIn')} value={priceType} options={types} set={value => change({ priceType: value })} />
      </div>
      <Select
        label={text('expiresAfter')}
        value={String(hours)}
        options={TIMES.map(([value, name]) => [String(value), name] as const)}
        set={value => change({ hours: Number(value) })}
      />
      <p class="muted number" role="status">
        {total === '' ? text('enterAmount') : text('inAll', { amount: coins(total, priceType) })}
      </p>
      <div class="form-actions">
        <button
          type="submit"
          class="primary"
          disabled={!isAmount(quantity) || !isAmount(price) || quantityType === priceType}
        >
          {text('check')}
        </button>
      </div>
      {planned !== null && <ConfirmDialog planned={planned} placed={placed} onClose={() => setPlanned(null)} />}
    </form>
  )
}
