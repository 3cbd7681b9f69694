// Browsers and programs with a key of their own: listed, taken back, and one more by the camera of a phone. Loaded when
// the settings are shown.

import { dateTime } from '../../model/format.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { text } from '../../texts/node/devices.ts'
import { PhoneLogin } from './phone-login.tsx'

const keysNow = async (signal: AbortSignal) => (await session.api.call('GET /keys', { signal })).keys

/** The list of devices, and signing in on a phone. */
export function Devices() {
  const { value: keys, problem, refresh } = useAnswer(keysNow, [], 0)
  const remove = async (name: string) => {
    await session.api.call('DELETE /keys/{name}', { path: { name } })
    refresh()
  }
  return (
    <section class="setting-section devices" aria-labelledby="devices">
      <h2 id="devices">{text('heading')}</h2>
      <p class="help">{text('about')}</p>
      {keys === null && problem !== '' && <p class="muted">{problem}</p>}
      {keys?.length === 0 && <p class="muted">{text('none')}</p>}
      {keys !== null && keys.length > 0 && (
        <ul class="given-links">
          {keys.map(({ name, scopes, label, created }) => (
            <li key={name}>
              <span>
                <bdi>{name}</bdi>
                <span class="muted">
                  {' '}
                  {scopes.join(', ')} · {text('since', { date: dateTime(created) })}
                </span>
                {label !== null && <strong class="tag">{text('bound', { label })}</strong>}
                {name === session.device && <strong class="tag">{text('thisOne')}</strong>}
              </span>
              <button type="button" onClick={() => void session.attempt(() => remove(name), text('removed', { name }))}>
                {text('remove', { name })}
              </button>
            </li>
          ))}
        </ul>
      )}
      {keys !== null && (
        <>
          <h3>{text('signIn')}</h3>
          <PhoneLogin used={refresh} />
        </>
      )}
    </section>
  )
}
