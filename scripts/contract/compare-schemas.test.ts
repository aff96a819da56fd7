import { describe, expect, test } from 'vitest'
import { type Context, compareSchemas } from './compare-schemas.ts'
import type { Schema } from './document.ts'

type Schemas = Record<string, Schema>

const compare = (
  direction: Context['direction'],
  kept: Schema,
  now: Schema,
  schemas: Partial<Context['schemas']> = {},
) =>
  compareSchemas(kept, now, {
    ...{ name: 'It', direction, whom: 'clients', known: new Map() },
    schemas: { kept: {}, now: {}, ...schemas },
  })

const text: Schema = { type: 'string' }
const number: Schema = { type: 'integer' }
const nothing: Schema = { type: 'null' }
const both: Schema = { anyOf: [text, nothing] }
const record = (properties: Schemas, required: string[] = []): Schema => ({ type: 'object', properties, required })

describe('What clients send', () => {
  test.each<[string, Schema, Schema]>([
    ['It may not be string any more', text, number],
    ['It may not be null any more', { type: ['string', 'null'] }, text],
    ['It may not be null any more', both, text],
    ['It has no b any more', { enum: ['a', 'b'] }, { enum: ['a', 'c'] }],
    ['It has no 1 any more', { const: 1 }, { const: 2 }],
    ['It takes only a, b now', text, { ...text, enum: ['a', 'b'] }],
    ['It has maxLength 9 in place of 10', { ...text, maxLength: 10 }, { ...text, maxLength: 9 }],
    ['It has maxItems 9 in place of none', {}, { maxItems: 9 }],
    ['It has maximum 9 in place of none', {}, { maximum: 9 }],
    ['It has minLength 2 in place of 1', { ...text, minLength: 1 }, { ...text, minLength: 2 }],
    ['It has minItems 1 in place of none', {}, { minItems: 1 }],
    ['It has minimum 1 in place of none', {}, { minimum: 1 }],
    ['It has another pattern', { pattern: 'a' }, { pattern: 'b' }],
    ['It has the format uuid in place of none', text, { ...text, format: 'uuid' }],
    ['It has the default 2 in place of 1', { default: 1 }, { default: 2 }],
    ['It may not have the same twice any more', {}, { uniqueItems: true }],
    ['It.a is gone', record({ a: text }), record({})],
    ['It takes no further members any more', record({}), { ...record({}), additionalProperties: false }],
    ['It.*.a may not be string any more', ofMaps(record({ a: text })), ofMaps(record({ a: number }))],
    ['It[] may not be string any more', { items: text }, { items: number }],
    ['It[0] may not be string any more', { prefixItems: [text] }, { prefixItems: [number] }],
    ['It may not be string any more', { contentSchema: text }, { contentSchema: number }],
    ['It may not be other than string any more', {}, text],
    ['It may not be other than string any more', {}, both],
    ['It may not be integer any more', { enum: ['a', 1] }, text],
    ['It[] may not be other than string any more', { type: 'array' }, { type: 'array', items: text }],
    ['It.* may not be other than string any more', record({}), ofMaps(text)],
    ['It has the default 2 in place of 1', { ...both, default: 1 }, { ...both, default: 2 }],
  ])('%s', (problem, kept, now) => {
    expect(compare('sent', kept, kept)).toEqual([])
    expect(new Set(compare('sent', kept, now))).toContain(`${problem}: breaks clients that send it`)
  })

  test('A member that is newly needed', () => {
    const problem = 'It needs a now: breaks clients that leave it out'
    expect(compare('sent', record({ a: text }), record({ a: text }, ['a']))).toEqual([problem])
    expect(compare('sent', record({}), record({ a: text }, ['a']))).toEqual([problem])
  })

  test('Whatever takes more is taken', () => {
    const before = record({ a: { ...text, enum: ['x'], maxLength: 1, minLength: 1, pattern: 'x' } }, ['a'])
    expect(compare('sent', before, record({ a: text, b: text }))).toEqual([])
    expect(compare('sent', text, both)).toEqual([])
    expect(compare('sent', { additionalProperties: false }, {})).toEqual([])
  })
})

describe('What clients read', () => {
  test.each<[string, Schema, Schema]>([
    ['It may be integer now', text, number],
    ['It may be null now', text, both],
    ['It may be null now', text, { type: ['string', 'null'] }],
    ['It has no b any more', { enum: ['a', 'b'] }, { enum: ['a'] }],
    ['It may be any word now', { ...text, enum: ['a', 'b'] }, text],
    ['It may be other than string now', text, {}],
    ['It may be other than string now', text, { anyOf: [text, {}] }],
    ['It[] may be other than string now', { items: text }, {}],
    ['It.* may be other than string now', ofMaps(text), record({})],
    ['It has the format none in place of uuid', { ...text, format: 'uuid' }, text],
    ['It has the contentMediaType b in place of a', { contentMediaType: 'a' }, { contentMediaType: 'b' }],
    ['It has the default 2 in place of 1', { default: 1 }, { default: 2 }],
    ['It.a is gone', record({ a: text }), record({})],
    ['It.a may be absent now', record({ a: text }, ['a']), record({ a: text })],
    ['It.a may be integer now', record({ a: text }), record({ a: number })],
    ['It.a is gone', { anyOf: [record({ a: text }), record({ b: text })] }, { anyOf: [record({ b: text })] }],
  ])('%s', (problem, kept, now) => {
    expect(compare('read', kept, kept)).toEqual([])
    expect(compare('read', kept, now)).toContain(`${problem}: breaks clients that read it`)
  })

  test('Further members, words and forms are additions', () => {
    expect(compare('read', record({}), record({ a: text }, ['a']))).toEqual([])
    expect(compare('read', { enum: ['a'] }, { enum: ['a', 'b'] })).toEqual([])
    const forms = [record({ a: text }), record({ b: text })]
    expect(compare('read', { anyOf: forms.slice(1) }, { anyOf: forms })).toEqual([])
    expect(compare('read', { ...text, maxLength: 1 }, { ...text, maxLength: 2 })).toEqual([])
    expect(compare('read', both, text)).toEqual([])
  })
})

describe('What has a name', () => {
  const tree = (leaf: Schema): Schemas => ({ Tree: record({ leaf, below: { $ref: '#/components/schemas/Tree' } }) })
  const reference = { $ref: '#/components/schemas/Tree' }

  test('It is compared by what the name stands for, also where it contains itself', () => {
    const same = { kept: tree(text), now: tree(text) }
    expect(compare('read', reference, reference, same)).toEqual([])
    expect(compare('read', reference, reference, { ...same, now: tree(number) })).toEqual([
      'Tree.leaf may be integer now: breaks clients that read it',
    ])
  })

  test('It may get another name, or none', () => {
    const schemas = { kept: tree(text), now: { Other: record({ leaf: text, below: record({ leaf: text }) }) } }
    const problems = compare('read', reference, { $ref: '#/components/schemas/Other' }, schemas)
    expect(problems).toEqual(['Tree.below is gone: breaks clients that read it'])
  })
})

function ofMaps(additionalProperties: Schema): Schema {
  return { type: 'object', additionalProperties }
}
