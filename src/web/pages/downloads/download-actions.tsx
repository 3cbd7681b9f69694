// What is done to downloads that were chosen: the menu, and what an entry asks for. Loaded when it is opened first.

import { useRef, useState } from 'preact/hooks'
import { ActionDialog } from './action-dialogs.tsx'
import { ActionMenu, type MenuPlace } from './action-menu.tsx'
import type { Action, Question } from './actions.ts'

/** What the menu is opened for, and where. */
export interface OpenedMenu {
  readonly infohashes: readonly string[]
  readonly at: MenuPlace
}

interface DownloadActionsProps extends OpenedMenu {
  /** Asks whether they are to be removed. */
  remove(infohashes: readonly string[]): void
  onClose(): void
}

/** What is done to downloads that were chosen. */
export function DownloadActions({ infohashes, at, remove, onClose }: DownloadActionsProps) {
  const [question, ask] = useState<Question | null>(null)
  const before = useRef(document.activeElement)
  // At once: a dialog gives the focus back to what has it when it opens.
  const focusBack = () => {
    if (before.current instanceof HTMLElement) before.current.focus()
  }
  const close = () => {
    focusBack()
    onClose()
  }
  const choose = ({ label, run }: Action) => {
    if (run === undefined && label !== 'remove') {
      focusBack()
      return ask(label as Question)
    }
    close()
    if (run === undefined) remove(infohashes)
    else void run(infohashes)
    return undefined
  }
  return question === null ? (
    <ActionMenu infohashes={infohashes} at={at} choose={choose} onClose={close} />
  ) : (
    <ActionDialog question={question} infohashes={infohashes} onClose={onClose} />
  )
}
