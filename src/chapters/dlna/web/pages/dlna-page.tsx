// Players in the local network: the switch, where they are served, and the devices that were given links.

import '../dlna.css'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { languageTag } from '../../../../web/language/texts.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import type { DlnaDevice, DlnaState } from '../../client/routes.ts'
import { allow, block, dlnaNow, enable, forget } from '../node/dlna-requests.ts'
import { text } from '../texts/players.ts'

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
    await session.attempt(() => enable(enabled), enabled ? text('found') : text('off'))
    saving.current = false
    changed()
  }
  return (
    <section class="card">
      <div class="setting serve">
        <div class="setting-words">
          <label for={id}>{text('mayWatch')}</label>
          <p id={`${id}-help`} class="help">
            {text('mayWatchHelp', { name: state.name })}
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
          {text('servedAt', { name, address, port })}
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
      <td dir="auto">{name === '' ? text('noName') : name}</td>
      <td>{allowed ? (streams > 0 ? text('plays', { count: streams }) : text('allowed')) : text('blocked')}</td>
      <td>{new Date(seen * 1000).toLocaleString(languageTag())}</td>
      <td class="row-buttons">
        {allowed ? (
          <button type="button" onClick={() => void act(block, text('isBlocked', { address }))}>
            {text('block')}
          </button>
        ) : (
          <button type="button" onClick={() => void act(allow, text('isAllowed', { address }))}>
            {text('allow')}
          </button>
        )}
        <button type="button" onClick={() => void act(forget, text('isForgotten', { address }))}>
          {text('forget')}
        </button>
      </td>
    </tr>
  )
}

function Devices({ devices, changed }: { devices: readonly DlnaDevice[]; changed: () => void }) {
  if (devices.length === 0) return <p class="card muted">{text('noDevice')}</p>
  return (
    <section class="card">
      <h2>{text('devices')}</h2>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={text('devices')}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{text('address')}</th>
              <th scope="col">{text('name')}</th>
              <th scope="col">{text('state')}</th>
              <th scope="col">{text('lastSeen')}</th>
              <th scope="col">
                <span class="visually-hidden">{text('actions')}</span>
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
        <h1>{text('players')}</h1>
      </header>
      {value === null ? (
        <p class="card muted">{problem === '' ? text('asking') : problem}</p>
      ) : (
        <>
          <Switch state={value.state} changed={refresh} />
          <Devices devices={value.devices} changed={refresh} />
        </>
      )}
    </div>
  )
}
