import { expect, test } from 'vitest'
import { ApiError } from '../../errors.ts'
import { chooseMediaType } from './accept.ts'

const json = 'application/json'
const stream = 'text/event-stream'

/** Undefined: refused. */
function chosen(accept: string | undefined) {
  try {
    return chooseMediaType(accept, [json, stream], [stream])
  } catch (error) {
    expect(error).toSatisfy((thrown: ApiError) => thrown instanceof ApiError && thrown.status === 406)
    return undefined
  }
}

test.each([
  [undefined, json],
  ['', json],
  ['*/*', json],
  ['application/*', json],
  ['text/html, */*;q=0.8', json],
  ['text/event-stream', stream],
  ['TEXT/Event-Stream', stream],
  ['text/*', undefined],
  ['text/*, application/json;q=0.1', json],
  ['text/*, text/event-stream;q=0.5', stream],
  ['text/event-stream;charset=utf-8', stream],
  ['text/event-stream, application/json', json],
  ['application/json;q=0.5, text/event-stream', stream],
  ['application/json; q=0.9 , text/event-stream;q=0.901', stream],
  ['text/event-stream, */*;q=0.1', stream],
  ['*/*, application/json;q=0', undefined],
  ['text/event-stream;q=0, */*', json],
  ['text/event-stream;q=0', undefined],
  ['text/html', undefined],
  ['*/*;q=0', undefined],
  ['nonsense', undefined],
])('A client that sends Accept: %s prefers %s', (accept, preferred) => {
  expect(chosen(accept)).toBe(preferred)
})
