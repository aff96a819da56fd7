/** The providers by their names of the interface, as docs/providers.md has them. */
export const providerNames: Record<string, string> = {
  provider_a: 'Google',
  provider_b: 'GitHub',
  provider_c: 'Bitbucket Cloud',
  provider_d: 'GitLab',
  provider_e: 'Facebook',
  provider_f: 'LINE',
  provider_g: 'Microsoft Entra ID',
  provider_h: 'Okta',
}
