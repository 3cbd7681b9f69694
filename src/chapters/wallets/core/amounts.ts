// Amounts of money: whole numbers of the smallest unit inside, decimal text outside. A JSON number is read by the
// shortest text that gives it, and only where that text is surely what was sent: no sum is ever done with floating
// point (decision 0431).

import { AppError } from '../../../base/errors.ts'

/** A decimal number of up to 15 significant digits comes back from a double as it went in (IEEE 754). */
const EXACT_DIGITS = 15
/** More digits than all coins of all chains together. */
const MAX_WHOLE_DIGITS = 30
const DECIMAL = /^(\d{1,30})(?:\.(\d{1,40}))?$/
const SCIENTIFIC = /^(\d)(?:\.(\d+))?e([+-]\d{1,3})$/

/**
 * An amount greater than nothing in the smallest unit. `decimals`: of the coin; `name`: of the parameter, for the text.
 * AppError InvalidParameter.
 */
export function parseAmount(value: unknown, decimals: number, name = 'amount'): bigint {
  const text = decimalText(value, name)
  const [, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === '') throw invalid(name, 'it must be a number greater than 0, such as 0.25')
  const kept = fraction.replace(/0+$/, '')
  if (kept.length > decimals) throw invalid(name, `this coin has ${decimals} decimal places`)
  const units = BigInt(whole + kept.padEnd(decimals, '0'))
  if (units <= 0n) throw invalid(name, 'it must be greater than 0')
  return units
}

/**
 * What a value says as plain decimal text. AppError InvalidParameter for a number that a double cannot hold exactly.
 */
function decimalText(value: unknown, name: string): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(name, 'it must be a number, or decimal text')
  const text = plain(String(value), name)
  if (text.replace(/^[-0.]+/, '').replace('.', '').length > EXACT_DIGITS) {
    throw invalid(name, `a number of more than ${EXACT_DIGITS} digits must come as text, in quotes`)
  }
  return text
}

/** `1e-7` as `0.0000001`. */
function plain(text: string, name: string): string {
  const [, first = '', rest = '', exponent = ''] = SCIENTIFIC.exec(text) ?? []
  if (first === '') return text
  const places = Number(exponent)
  if (Math.abs(places) > MAX_WHOLE_DIGITS) throw invalid(name, 'it is too large or too small')
  const digits = first + rest
  if (places < 0) return `0.${'0'.repeat(-places - 1)}${digits}`
  return digits.slice(0, places + 1).padEnd(places + 1, '0') + (rest.length > places ? `.${rest.slice(places)}` : '')
}

function invalid(name: string, text: string): AppError {
  return new AppError('InvalidParameter', `The parameter ${name} is not valid: ${text}.`)
}

/** The amount as decimal text without needless zeroes. */
export function formatAmount(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** What a JSON-RPC server calls an amount, a JSON number of coins, in the smallest unit; null: that is none. */
export function unitsOfServer(value: unknown, decimals: number): bigint | null {
  if (value === 0) return 0n
  try {
    return parseAmount(value, decimals)
  } catch {
    return null
  }
}
