import { expect, test } from 'vitest'
import { readOptions, toOptions } from './options.ts'

test('A form shows and sends the scopes that are added to those of the provider', () => {
  const options = readOptions('provider_a', { provider_a: { authorize_scopes: ['openid', 'email', 'calendar'] } })
  expect(options.scopes).toEqual(['calendar'])
  expect(toOptions('provider_a', options)).toEqual({ provider_a: { authorize_scopes: ['calendar'] } })
})

test('A provider gets the option that it has, without blanks around it, and no other', () => {
  const options = {
    scopes: ['', ' groups '],
    tenant: ' example.com ',
    organizationUrl: ' https://example.okta.com ',
    issuer: ' https://id.example/a/ ',
  }
  expect(toOptions('provider_h', options)).toEqual({
    provider_h: {
      authorize_scopes: ['groups'],
      organization_url: 'https://example.okta.com',
    },
  })
  expect(toOptions('provider_g', options).provider_g).toMatchObject({ tenant: 'example.com' })
  expect(toOptions('oidc', options)).toEqual({
    oidc: { authorize_scopes: ['groups'], issuer: 'https://id.example/a/' },
  })
  expect(toOptions('provider_b', options)).toEqual({
    provider_b: { authorize_scopes: ['groups'] },
  })
})

test('Without a tenant everybody at Entra may sign in, as the interface has it', () => {
  expect(readOptions('provider_g')).toEqual({ scopes: [], tenant: 'common', organizationUrl: '', issuer: '' })
})
