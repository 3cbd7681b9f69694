// Dialogs of wallets: create one, unlock one, and the words of the seed (shown when it is made, exported, restored).

import { useState } from 'preact/hooks'
import { createWallet, exportSeed, restoreSeed, unlock } from '../node/wallet-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { DialogForm } from '../../../../web/parts/dialog-form.tsx'
import { SecretField } from '../../../../web/parts/secret-field.tsx'

interface WalletDialogProps {
  readonly coin: string
  changed(): void
  onClose(): void
}

const TIMES: readonly (readonly [number, string])[] = [
  [900, '15 minutes'],
  [3600, 'An hour'],
  [86_400, 'A day'],
]

/** The words of a seed, until they are put away. */
function Words({ words, onClose }: { words: string; onClose: () => void }) {
  return (
    <Dialog title="The words of your seed" onClose={onClose}>
      <div class="dialog-form">
        <p>
          Write these words down, in this order. Who has them has your money, and without them it is lost when this node
          is. They are not shown again without the password.
        </p>
        <p class="seed-words mono" data-seed>
          {words}
        </p>
        <div class="dialog-actions">
          <button type="button" class="primary" onClick={onClose}>
            I wrote them down
          </button>
        </div>
      </div>
    </Dialog>
  )
}

/** Creates a wallet; of the first the words are shown. */
export function CreateWalletDialog({ coin, changed, onClose }: WalletDialogProps) {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [words, setWords] = useState('')
  const submit = async () => {
    const made = await createWallet(coin, password)
    setPassword('')
    setAgain('')
    changed()
    if (made === '') onClose()
    else setWords(made)
  }
  if (words !== '') return <Words words={words} onClose={onClose} />
  return (
    <DialogForm
      title={`Create the ${coin} wallet`}
      action="Create"
      ready={password !== '' && password === again}
      submit={submit}
      onClose={onClose}
    >
      <p class="muted">All wallets have one seed and one password. It cannot be replaced when it is forgotten.</p>
      <SecretField label="Password" value={password} set={setPassword} />
      <SecretField label="Password again" value={again} set={setAgain} />
    </DialogForm>
  )
}

/** Lets a wallet spend for a while. */
export function UnlockDialog({ coin, changed, onClose }: WalletDialogProps) {
  const [password, setPassword] = useState('')
  const [spendKey, setSpendKey] = useState('')
  const [seconds, setSeconds] = useState(900)
  const submit = async () => {
    await unlock(coin, password, seconds, spendKey)
    changed()
    onClose()
  }
  return (
    <DialogForm title={`Unlock ${coin}`} action="Unlock" ready={password !== ''} submit={submit} onClose={onClose}>
      <SecretField label="Password" value={password} set={setPassword} />
      <SecretField label="Spend key" value={spendKey} help="Only where one is demanded." set={setSpendKey} />
      <div class="field">
        <label for="unlock-time">For</label>
        <select
          id="unlock-time"
          value={String(seconds)}
          onChange={event => setSeconds(Number(event.currentTarget.value))}
        >
          {TIMES.map(([value, name]) => (
            <option key={value} value={String(value)}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </DialogForm>
  )
}

/** Shows the words of the seed to who has the password. */
export function ExportSeedDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('')
  const [spendKey, setSpendKey] = useState('')
  const [words, setWords] = useState('')
  const submit = async () => setWords(await exportSeed(password, spendKey))
  if (words !== '') return <Words words={words} onClose={onClose} />
  return (
    <DialogForm title="Show the seed" action="Show" ready={password !== ''} submit={submit} onClose={onClose}>
      <SecretField label="Password" value={password} set={setPassword} />
      <SecretField label="Spend key" value={spendKey} help="Only where one is demanded." set={setSpendKey} />
    </DialogForm>
  )
}

/** Keeps words of an older seed, before the first wallet is created. */
export function RestoreSeedDialog({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState('')
  const [password, setPassword] = useState('')
  const submit = async () => {
    await restoreSeed(words.trim(), password)
    session.notify('The seed is kept. Create the wallets that it had.')
    onClose()
  }
  return (
    <DialogForm
      title="Restore a seed"
      action="Restore"
      ready={password !== '' && words.trim() !== ''}
      submit={submit}
      onClose={onClose}
    >
      <SecretField label="Words of the seed" value={words} help="12 to 24 words, as they were shown." set={setWords} />
      <SecretField label="New password" value={password} set={setPassword} />
    </DialogForm>
  )
}
