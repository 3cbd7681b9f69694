// Where the focus goes when what has it leaves the page: whoever uses a keyboard or listens to a screen reader would
// begin again at the top of the document otherwise (WCAG 2.4.3).

/**
 * Keeps the focus in the page from now on: when the element that has it is taken away, the first button of an open
 * dialog has it next, or else the content of the page. What moves the focus by itself meanwhile keeps it.
 */
export function keepFocus(page: Document): () => void {
  let last: EventTarget | null = null
  const note = (event: FocusEvent): void => {
    last = event.target
  }
  const look = (): void => {
    if (!(last instanceof HTMLElement) || last.isConnected || page.activeElement !== page.body) return
    last = null
    const dialog = [...page.querySelectorAll('dialog[open]')].at(-1)
    const place = dialog === undefined ? page.querySelector<HTMLElement>('#content') : dialog.querySelector('button')
    place?.focus({ preventScroll: true })
  }
  const watch = new MutationObserver(look)
  page.addEventListener('focusin', note)
  watch.observe(page.body, { childList: true, subtree: true })
  return () => {
    watch.disconnect()
    page.removeEventListener('focusin', note)
  }
}
