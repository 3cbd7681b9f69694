// Amounts of coins as they are typed and shown. Pure. They come and go as exact decimal text.

/** Whether a text is an amount above nothing. */
export function isAmount(text: string): boolean {
  return /^\d{1,30}(\.\d{1,18})?$/.test(text.trim()) && /[1-9]/.test(text)
}

/** `0.5 BTC`. */
export function coins(exact: string, coin: string): string {
  return `${exact} ${coin}`
}
