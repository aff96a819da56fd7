import { expect, test } from 'vitest'
import { toCurl } from './to-curl.ts'

const url = 'https://id.example.com/organizations/webhooks'

test('Quotes for the shell whatever is sent', () => {
  const command = toCurl({ method: 'POST', url, body: { name: "Jo's $(id)" } }, 'o1')
  expect(command).toContain(`"name": "Jo'\\''s $(id)"`)
  expect(command).toContain(`-H 'Service-OrgID: o1'`)
})

test('Reads secrets from variables of the shell, each value of a list from one of its own', () => {
  const custom_headers = { 'x-token': ['first', 'second'], authorization: ['third'] }
  const command = toCurl({ method: 'PATCH', url, body: { custom_headers } }, 'o1', ['x-token', 'authorization'])
  expect(command).toContain(`"'"$X_TOKEN_1"'"`)
  expect(command).toContain(`"'"$X_TOKEN_2"'"`)
  expect(command).toContain(`"'"$AUTHORIZATION_1"'"`)
  expect(command).not.toMatch(/first|second|third/)
})
