// A dialog with fields that asks the node for one thing: while it is asked the button waits, and what the node refuses
// is shown above the buttons.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { textOf } from '../node/api.ts'
import { Dialog } from './dialog.tsx'
import { text } from '../texts/parts.ts'

interface DialogFormProps {
  readonly title: string
  readonly action: string
  /** The button that leaves all as it is, where that is not `Cancel`. */
  readonly refuse?: string
  /** It may be sent. */
  readonly ready: boolean
  readonly children: ComponentChildren
  /** What it does; the dialog stays when it rejects. */
  submit(): Promise<void>
  onClose(): void
}

/**
 * A dialog with fields that asks the node for one thing: while it is asked the button waits, and what the node refuses
 * is shown above the buttons.
 */
export function DialogForm({ title, action, refuse, ready, children, submit, onClose }: DialogFormProps) {
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState(false)
  const send = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem('')
    try {
      await submit()
    } catch (error) {
      setProblem(textOf(error))
    }
    setBusy(false)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-form" onSubmit={event => void send(event)}>
        {children}
        {problem !== '' && (
          <p role="alert" class="faults" dir="auto">
            {problem}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {refuse ?? text('cancel')}
          </button>
          <button type="submit" class="primary" disabled={busy || !ready}>
            {busy ? text('working') : action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
