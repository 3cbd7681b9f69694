// Puts a text into the clipboard and says so. Pages that were not loaded over HTTPS or from this machine have no
// clipboard interface: there the text is shown for copying by hand.

import { session } from '../node/context.ts'
import { type IconName, Icon } from './icons.tsx'

/** Copies; tells what cannot be copied. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    session.notify(`${what} copied.`)
  } catch {
    prompt(`${what}: copy it from here.`, text)
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
export function CopyButton({ label, what, icon = 'copy', text }: CopyButtonProps) {
  const copy = () => session.attempt(async () => copyText(await text(), what))
  return (
    <button type="button" onClick={() => void copy()}>
      <Icon name={icon} />
      {label}
    </button>
  )
}
