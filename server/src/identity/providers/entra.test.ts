import { expect, test } from 'vitest'
import { entra } from './entra.ts'

test('A domain that names the tenant of personal accounts, as live.com does, is everybody’s', () => {
  const isOfEverybody = (tid: string) => {
    const issuer = `https://login.microsoftonline.com/${tid}/v2.0`
    return entra.isOfEverybody?.({ tid }, { issuer, authorization_endpoint: '', token_endpoint: '' })
  }
  expect(isOfEverybody('9188040d-6c67-4c5b-b112-36a304b66dad')).toBe(true)
  expect(isOfEverybody('11111111-2222-4333-8444-555555555555')).toBe(false)
  expect(isOfEverybody('{tenantid}')).toBe(true)
})
