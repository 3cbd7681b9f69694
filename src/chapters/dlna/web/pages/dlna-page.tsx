// Players in the local network: the switch, where they are served, and the devices that were given links.

import '../dlna.css'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import type { DlnaDevice, DlnaState } from '../../client/routes.ts'
import { allow, block, dlnaNow, enable, forget } from '../node/dlna-requests.ts'

const EVERY_MS = 5000

function Switch({ state, changed }: { state: DlnaState; changed: () => void }) {
  const id = useId()
  /** What was chosen, until the node has said what became of it: a switch must not jump back meanwhile. */
  const [chosen, setChosen] = useState<boolean | null>(null)
  const saving = useRef(false)
  useEffect(() => {
    if (!saving.current) setChosen(null)
  }, [state])
  const set = async (enabled: boolean) => {
    saving.current = true
    setChosen(enabled)
    await session.attempt(
      () => enable(enabled),
      enabled ? 'Players find this node now.' : 'Players are not served any more.',
    )
    saving.current = false
    changed()
  }
  return (
    <section class="card">
      <div class="setting serve">
        <div class="setting-words">
          <label for={id}>Players in this network may watch</label>
          <p id={`${id}-help`} class="help">
            Televisions, VLC and Kodi find “{state.name}” and play its films. Everybody in the network can: no key is
            asked for. Downloads over circuits are not shown.
          </p>
        </div>
        <input
          id={id}
          aria-describedby={`${id}-help`}
          type="checkbox"
          role="switch"
          class="switch"
          checked={chosen ?? state.enabled}
          onChange={event => void set(event.currentTarget.checked)}
        />
      </div>
      {state.interfaces.map(({ name, address, port }) => (
        <p key={address} class="muted number">
          {name}: {address}, port {port}
        </p>
      ))}
      {state.problem !== '' && <p class="fault">{state.problem}</p>}
    </section>
  )
}

function DeviceRow({ device, changed }: { device: DlnaDevice; changed: () => void }) {
  const { id, address, name, allowed, streams, last_seen: seen } = device
  const act = async (run: (device: string) => Promise<void>, done: string) => {
    await session.attempt(() => run(id), done)
    changed()
  }
  return (
    <tr data-device={id}>
      <th scope="row" class="number">
        {address}
      </th>
      <td dir="auto">{name === '' ? 'says no name' : name}</td>
      <td>{allowed ? (streams > 0 ? `plays ${streams}` : 'allowed') : 'blocked'}</td>
      <td>{new Date(seen * 1000).toLocaleString()}</td>
      <td class="row-buttons">
        {allowed ? (
          <button type="button" onClick={() => void act(block, `${address} is blocked, its links have ended.`)}>
            Block
          </button>
        ) : (
          <button type="button" onClick={() => void act(allow, `${address} may watch again.`)}>
            Allow
          </button>
        )}
        <button type="button" onClick={() => void act(forget, `${address} is forgotten, its links have ended.`)}>
          Forget
        </button>
      </td>
    </tr>
  )
}

function Devices({ devices, changed }: { devices: readonly DlnaDevice[]; changed: () => void }) {
  if (devices.length === 0) return <p class="card muted">No device has asked yet.</p>
  return (
    <section class="card">
      <h2>Devices with links</h2>
      <div class="table-scroll" tabIndex={0} role="group" aria-label="Devices with links">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">Last seen</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {devices.map(device => (
              <DeviceRow key={device.id} device={device} changed={changed} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Players in the local network: the switch, where they are served, and the devices that were given links. */
export function DlnaPage() {
  const { value, problem, refresh } = useAnswer(dlnaNow, [], EVERY_MS)
  return (
    <div class="page">
      <header class="page-head">
        <h1>Players</h1>
      </header>
      {value === null ? (
        <p class="card muted">{problem === '' ? 'Asking the node…' : problem}</p>
      ) : (
        <>
          <Switch state={value.state} changed={refresh} />
          <Devices devices={value.devices} changed={refresh} />
        </>
      )}
    </div>
  )
}
