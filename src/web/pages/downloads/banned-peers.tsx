// Addresses that were banned by hand, bans that are lifted, and what is asked before one.

import { session } from '../../node/context.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { text } from '../../texts/downloads/peers.ts'

interface BannedPeersProps {
  readonly addresses: readonly string[]
  changed(): void
}

/** Addresses that were banned by hand; each ban can be lifted. */
export function BannedPeers({ addresses, changed }: BannedPeersProps) {
  const lift = async (ip: string) => {
    const lifted = () => session.api.call('DELETE /peers/banned', { parameters: { ip } })
    await session.attempt(lifted, text('lifted', { ip }))
    changed()
  }
  return (
    <details class="banned-peers">
      <summary>{text('bans', { count: addresses.length })}</summary>
      <ul>
        {addresses.map(ip => (
          <li key={ip}>
            <bdi class="number">{ip}</bdi>{' '}
            <button type="button" class="quiet" aria-label={text('liftOne', { ip })} onClick={() => void lift(ip)}>
              {text('lift')}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface BanDialogProps {
  readonly ip: string
  banned(): void
  onClose(): void
}

/** Says what a ban does, and bans the address. */
export function BanDialog({ ip, banned, onClose }: BanDialogProps) {
  const ban = async () => {
    await session.api.call('PUT /peers/banned', { parameters: { ip } })
    session.notify(text('banned', { ip }))
    banned()
    onClose()
  }
  return (
    <DialogForm title={text('banTitle')} action={text('ban')} ready={true} submit={ban} onClose={onClose}>
      <p>{text('banWarning', { ip })}</p>
    </DialogForm>
  )
}
