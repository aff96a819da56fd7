import type { Handle } from '@signet/management'
import { expect, test } from 'vitest'
import { problemsOf } from '../design/problems.ts'
import { fieldName, fieldsOf, toHandles, toRows, withAddress, withNewRow } from './handle-rows.ts'

const jo: Handle = { type: 'EmailAddress', value: 'jo@example.com', verified: true }
const phone: Handle = { type: 'PhoneNumber', value: '+12025550123', verified: false }

test('Handles that stay say nothing of who vouches for them', () => {
  expect(toHandles(toRows([jo, phone]), [jo, phone])).toEqual([
    { type: 'EmailAddress', value: 'jo@example.com' },
    { type: 'PhoneNumber', value: '+12025550123' },
  ])
})

test('A handle in other letters is the same, and blanks around it do not count', () => {
  const rows = toRows([{ ...jo, value: ' Jo@Example.com ' }])
  expect(toHandles(rows, [jo])).toEqual([{ type: 'EmailAddress', value: 'Jo@Example.com' }])
})

test('What is verified anew, or no more, is said', () => {
  const rows = toRows([
    { ...jo, verified: false },
    { ...phone, verified: true },
  ])
  expect(toHandles(rows, [jo, phone]).map(({ verified }) => verified)).toEqual([false, true])
})

test('Another address is not verified because the one before was, and the same one again is', () => {
  const [row] = toRows([jo])
  if (!row) throw new Error('no row')
  const other = withAddress(row, { value: 'other@example.com' }, [jo])
  expect(toHandles([other], [jo])).toEqual([{ type: 'EmailAddress', value: 'other@example.com' }])
  expect(toHandles([withAddress(other, { value: 'jo@example.com' }, [jo])], [jo])).toEqual([
    { type: 'EmailAddress', value: 'jo@example.com' },
  ])
  expect(withAddress(row, { type: 'PhoneNumber' }, [jo]).verified).toBe(false)
})

test('A new row has a key of its own, also after the newest was removed', () => {
  const rows = withNewRow(withNewRow([]))
  const keys = [...rows, ...withNewRow(rows.slice(0, 1)).slice(1)].map(({ key }) => key)
  expect(new Set(keys).size).toBe(3)
})

test('A message of the interface is found beside the handle that it names, which keeps its name when another is removed', () => {
  const rows = toRows(Array.from({ length: 12 }, () => jo)).slice(1)
  const last = rows[10]
  if (!last) throw new Error('no row')
  const { ofFields } = problemsOf(new Error('handles[10].value: is already in use'), fieldsOf(rows))
  expect(ofFields).toEqual({ [fieldName(last, 'value')]: ['is already in use'] })
  expect(fieldsOf(rows.slice(5)).at(-1)?.[1]).toBe(fieldName(last, 'verified'))
})
