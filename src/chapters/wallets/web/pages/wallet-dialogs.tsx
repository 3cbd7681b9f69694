// Dialogs of wallets: create one, unlock one, and the words of the seed (shown when it is made, exported, restored).

import { useState } from 'preact/hooks'
import { createWallet, exportSeed, restoreSeed, unlock } from '../node/wallet-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { Dialog } from '../../../../web/parts/dialog.tsx'
import { DialogForm } from '../../../../web/parts/dialog-form.tsx'
import { SecretField } from '../../../../web/parts/secret-field.tsx'
import { text } from '../texts/wallets.ts'

interface WalletDialogProps {
  readonly coin: string
  changed(): void
  onClose(): void
}

const TIMES: readonly (readonly [number, string])[] = [
  [900, text('quarterHour')],
  [3600, text('anHour')],
  [86_400, text('aDay')],
]

/** The words of a seed, until they are put away. */
function Words({ words, onClose }: { words: string; onClose: () => void }) {
  return (
    <Dialog title={text('seedWords')} onClose={onClose}>
      <div class="dialog-form">
        <p>{text('writeDown')}</p>
        <p class="seed-words mono" data-seed>
          {words}
        </p>
        <div class="dialog-actions">
          <button type="button" class="primary" onClick={onClose}>
            {text('wroteDown')}
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
      title={text('createCoin', { coin })}
      action={text('create')}
      ready={password !== '' && password === again}
      submit={submit}
      onClose={onClose}
    >
      <p class="muted">{text('oneSeed')}</p>
      <SecretField label={text('password')} value={password} set={setPassword} />
      <SecretField label={text('passwordAgain')} value={again} set={setAgain} />
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
    <DialogForm
      title={text('unlockCoin', { coin })}
      action={text('unlock')}
      ready={password !== ''}
      submit={submit}
      onClose={onClose}
    >
      <SecretField label={text('password')} value={password} set={setPassword} />
      <SecretField label={text('spendKey')} value={spendKey} help={text('spendKeyHelp')} set={setSpendKey} />
      <div class="field">
        <label for="unlock-time">{text('forSoLong')}</label>
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
    <DialogForm
      title={text('showSeed')}
      action={text('show')}
      ready={password !== ''}
      submit={submit}
      onClose={onClose}
    >
      <SecretField label={text('password')} value={password} set={setPassword} />
      <SecretField label={text('spendKey')} value={spendKey} help={text('spendKeyHelp')} set={setSpendKey} />
    </DialogForm>
  )
}

/** Keeps words of an older seed, before the first wallet is created. */
export function RestoreSeedDialog({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState('')
  const [password, setPassword] = useState('')
  const submit = async () => {
    await restoreSeed(words.trim(), password)
    session.notify(text('seedKept'))
    onClose()
  }
  return (
    <DialogForm
      title={text('restoreSeed')}
      action={text('restore')}
      ready={password !== '' && words.trim() !== ''}
      submit={submit}
      onClose={onClose}
    >
      <SecretField label={text('wordsOfSeed')} value={words} help={text('wordsHelp')} set={setWords} />
      <SecretField label={text('newPassword')} value={password} set={setPassword} />
    </DialogForm>
  )
}
