// Puts a text into the clipboard and says so. Pages that were not loaded over HTTPS or from this machine have no
// clipboard interface: there the text is shown for copying by hand.

import { session } from '../node/context.ts'
import { text } from '../texts/parts.ts'
import { type IconName, Icon } from './icons.tsx'

/** Copies; tells what cannot be copied. */
export async function copyText(content: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(content)
    session.notify(text('copied', { what }))
  } catch {
    prompt(text('copyHere', { what }), content)
  }
}

interface CopyButtonProps {
  readonly label: string
  /** What was copied, for the message. */
  readonly what: string
  readonly icon?: IconName
  /** Read when it is pressed. */
  text(): string | Promise<string>
}

/** A button for one text. */
export function CopyButton({ label, what, icon = 'copy', text: read }: CopyButtonProps) {
  const copy = () => session.attempt(async () => copyText(await read(), what))
  return (
    <button type="button" onClick={() => void copy()}>
      <Icon name={icon} />
      {label}
    </button>
  )
}
