import { expect, test } from 'vitest'
import { type Message, piecesOf } from './stream-pieces.ts'

/** Messages that count how often what they say is written. */
function counted(count: number, characters: number) {
  let written = 0
  const messages = Array.from({ length: count }, (_, index): Message => {
    const message = { id: `c${index}`, event: 'Counted' }
    return Object.defineProperty(message, 'data', {
      enumerable: true,
      get: () => {
        written++
        return 'x'.repeat(characters)
      },
    })
  })
  return { messages, written: () => written }
}

test('Messages are written once for all streams that are given them, in the same bytes', () => {
  const { messages, written } = counted(40, 1_000)
  const first = [...piecesOf(messages)]
  for (let stream = 1; stream < 100; stream++) {
    const pieces = [...piecesOf(messages)]
    expect(pieces.every(({ bytes }, index) => bytes === first[index]?.bytes)).toBe(true)
  }
  expect(written()).toBe(40)
  expect(first.map(({ lastId }) => lastId)).toEqual(['c15', 'c31', 'c39'])
  const text = Buffer.concat(first.map(({ bytes }) => bytes)).toString()
  expect(text.match(/^id: \w+\nevent: Counted\ndata: x{1000}\n$/gm)).toHaveLength(40)
})

test('Messages are written only as far as a stream has come', () => {
  const { messages, written } = counted(40, 1_000)
  for (const { lastId } of piecesOf(messages)) if (lastId === 'c15') break
  expect(written()).toBe(16)
})
