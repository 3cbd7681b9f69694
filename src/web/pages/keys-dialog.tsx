// Which keys there are, and whether the dashboard can be installed. Loaded when it is asked for.

import { keyHelp } from '../model/player-key-words.ts'
import { Dialog } from '../parts/dialog.tsx'
import { text } from '../texts/keys.ts'

type Keys = readonly (readonly [keys: string, does: string])[]

const groups: readonly (readonly [heading: string, keys: Keys])[] = [
  [
    text('everywhere'),
    [
      ['?', text('help')],
      [text('esc'), text('escape')],
      [text('ctrl', { key: 'V' }), text('paste')],
    ],
  ],
  [
    text('list'),
    [
      ['/', text('search')],
      ['↑ ↓', text('move')],
      [text('pageKeys'), text('pages')],
      [text('homeEnd'), text('ends')],
      [text('enter'), text('open')],
      [text('space'), text('mark')],
      [text('shift', { key: '↑ ↓' }), text('range')],
      [text('shift', { key: text('space') }), text('range')],
      [text('ctrl', { key: 'A' }), text('all')],
      [text('alt', { key: '↑ ↓' }), text('queue')],
      [text('del'), text('remove')],
    ],
  ],
  [text('player'), keyHelp],
]

/** Which keys there are, and whether the dashboard can be installed. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={text('heading')} onClose={onClose}>
      {groups.map(([heading, keys]) => (
        <section key={heading} class="key-help">
          <h3>{heading}</h3>
          <dl>
            {keys.map(([key, does]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <section>
        <h3>{text('app')}</h3>
        <p class="muted">{isSecureContext ? text('installable') : text('insecure')}</p>
      </section>
    </Dialog>
  )
}
