// A button that opens the dialog of links.

import { useState } from 'preact/hooks'
import { LinkDialog } from './link-dialog.tsx'
import { text } from '../texts/links.ts'

interface GiveLinkProps {
  readonly infohash: string
  /** Null: the playlist of the download. */
  readonly file: number | null
  readonly what: string
}

/** A button that opens the dialog of links. */
export function GiveLink(props: GiveLinkProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {text('give')}
      </button>
      {open && <LinkDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
