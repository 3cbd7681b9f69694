// Amounts of settings in units of choice: what is entered, what the node is sent, and what is shown of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type MeasureUnit,
  measureOf,
  measureText,
  unitsFor,
  wholeUnit,
} from '../../../../src/web/model/settings/measures.ts'
import { settingFields } from './setting-fields.ts'

const unit = (counted: string, id: string): MeasureUnit => {
  const found = unitsFor(counted).find(each => each.id === id)
  assert.ok(found, `${counted} in ${id}`)
  return found
}

test('a number in a unit becomes what the node counts in', () => {
  assert.equal(measureOf('1.5', unit('bytes/s', 'mib'), true), 1_572_864)
  assert.equal(measureOf('8', unit('bytes/s', 'mbit'), true), 1_000_000)
  assert.equal(measureOf('2', unit('bytes', 'gib'), true), 2_147_483_648)
  assert.equal(measureOf('1,5', unit('seconds', 'hours'), true), 5400)
  assert.equal(measureOf('2', unit('minutes', 'days'), true), 2880)
  assert.equal(measureOf('1', unit('hours', 'days'), true), 24)
  assert.equal(measureOf('0', unit('days', 'days'), true), 0)
  assert.equal(measureOf('0.1', unit('minutes', 'minutes'), true), 1, 'what is not nothing does not become nothing')
})

test('what need not be whole is not rounded', () => {
  assert.equal(measureOf('0.5', unit('seconds', 'seconds'), false), 0.5)
  assert.equal(measureOf('0,01', unit('seconds', 'minutes'), false), 0.6)
  assert.equal(measureOf('1e3', unit('seconds', 'seconds'), false), null)
})

test('what is no number is none', () => {
  for (const typed of ['', ' ', '-1', '1e3', '0x10', 'a lot', '1 000', '99999999999999', 'Infinity'])
    assert.equal(measureOf(typed, unit('bytes', 'gib'), true), null, typed)
})

test('nothing is smaller than what the node counts in, and plain numbers have no unit', () => {
  assert.deepEqual(
    unitsFor('hours').map(({ id }) => id),
    ['hours', 'days'],
  )
  assert.deepEqual(
    unitsFor('bytes/s').map(({ name }) => name),
    ['KiB/s', 'MiB/s', 'Mbit/s'],
  )
  for (const counted of [undefined, '', 'furlongs']) assert.deepEqual(unitsFor(counted), [])
})

test('an amount is shown in the unit in which it is a whole number', () => {
  const shown = (counted: string, amount: number) => {
    const units = unitsFor(counted)
    const found = wholeUnit(units, amount)
    return found && `${measureText(amount, found, ',')} ${found.name}`
  }
  assert.equal(shown('bytes', 256 * 1024 * 1024), '256 MiB')
  assert.equal(shown('minutes', 20_160), '14 days')
  assert.equal(shown('seconds', 90), '90 seconds')
  assert.equal(shown('seconds', 0), '0 seconds')
  assert.equal(shown('bytes', 1536), '1,5 KiB')
})

test('every amount of the node is entered in a unit, its default comes to itself again, and none is below zero', () => {
  const amounts = [...settingFields().values()].flat().filter(({ schema }) => schema['x-unit'] !== undefined)
  assert.ok(amounts.length >= 20, `${amounts.length} amounts`)
  for (const { name, schema, effective } of amounts) {
    const units = unitsFor(schema['x-unit'])
    const amount = Number(effective.value)
    const found = wholeUnit(units, amount)
    assert.ok(found && schema.minimum !== undefined && schema.minimum >= 0, name)
    const again = measureOf(measureText(amount, found, '.'), found, schema.type === 'integer') ?? -1
    assert.ok(Math.abs(again - amount) <= amount * 0.01, `${name}: ${again} of ${amount}`)
  }
})
