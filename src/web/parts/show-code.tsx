// Buttons that show a link as a QR code: in a dialog, or where they are.

import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { Icon } from './icons.tsx'
import { LaterPage } from './later-page.tsx'
import { text } from '../texts/links.ts'

const load = async () => (await import('./link-code.tsx')).LinkCode

/** The code of a link, loaded now. */
export function LaterCode({ url }: { readonly url: string }) {
  return <LaterPage load={load} shown={{ url }} />
}

interface CodeButtonProps {
  /** Of the dialog. */
  readonly title: string
  /** Read when it is pressed. */
  url(): string
}

/** A button that opens a dialog with the code of a link. */
export function CodeButton({ title, url }: CodeButtonProps) {
  const [shown, setShown] = useState<string | null>(null)
  return (
    <>
      <button type="button" title={text('codeHelp')} onClick={() => setShown(url())}>
        <Icon name="code" /> {text('code')}
      </button>
      {shown !== null && (
        <Dialog title={title} onClose={() => setShown(null)}>
          <LaterCode url={shown} />
        </Dialog>
      )}
    </>
  )
}
