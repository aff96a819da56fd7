import pg from 'pg'
import { expect, test } from 'vitest'
import { toLoggedError } from './logged-error.ts'

/** As the driver makes it of what PostgreSQL sends. */
const fromPostgres = (message: string, fields: object) =>
  Object.assign(new pg.DatabaseError(message, message.length, 'error'), fields)

test("A logged error leaves out PostgreSQL's rows, values and statements, and keeps what helps to find the fault", () => {
  const error = fromPostgres('duplicate key value violates unique constraint "handles_pkey"', {
    code: '23505',
    detail: 'Key (value)=(ada@example.com) already exists.',
    where: 'SQL statement "insert into handles values (\'ada@example.com\')"',
    internalQuery: "insert into handles values ('ada@example.com')",
    hint: 'not ada@example.com',
    table: 'handles',
    constraint: 'handles_pkey',
  })
  const logged = toLoggedError(error)
  expect(JSON.stringify(logged)).not.toContain('ada@example.com')
  expect(logged).toEqual({
    type: 'DatabaseError',
    message: error.message,
    stack: error.stack,
    code: '23505',
    table: 'handles',
    constraint: 'handles_pkey',
  })
})

// Proves sign-in/29.
test('A logged error leaves out a value that the message itself quotes', () => {
  const error = fromPostgres('invalid input syntax for type uuid: "se"cret\n2"', { code: '22P02' })
  const logged = toLoggedError(error)
  expect(logged.message).toBe('invalid input syntax for type uuid: "…"')
  expect(logged.stack).toContain('logged-error.test.ts')
  expect(JSON.stringify(logged)).not.toMatch(/se.*cret/)
})

test('A logged error has its causes in the same form, and no more than three', () => {
  const error: Error & { request?: string } = new Error('outer', { cause: new Error('inner', { cause: 'secret' }) })
  error.request = 'secret'
  const logged = toLoggedError(error)
  expect(logged).toMatchObject({ message: 'outer', cause: { message: 'inner', cause: { type: 'string' } } })
  expect(JSON.stringify(logged)).not.toContain('secret')
  error.cause = error
  expect(JSON.stringify(toLoggedError(error)).match(/"message":"outer"/g)).toHaveLength(4)
})
