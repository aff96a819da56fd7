/** The content of the synchronous hook token_minted: facts about the token that is about to be minted. */
export type TokenMinted = {
  /** The application that the person signs in to: its `client_id`. */
  aud: string
  /** Who signs in: the `person_id`. */
  sub: string
  /** The issuer of the token, not of this webhook. */
  iss: string
  region: string
  /** Whether it is the person's first token ever. */
  first_token: boolean
  /** How the person authenticated. */
  authentications: Authentication[]
  /** The name of the claim for the groups. */
  groups_claim_name: 'groups'
  /** The names of the person's groups. */
  groups: string[]
  /** Of the person's browser. */
  request_metadata: { client_ip_address: string; user_agent: string; origin?: string }
  /** Present only in a dry run, in which nobody signs in. */
  is_test?: true
}

export type Authentication = {
  /** Present only if the method has one. */
  handle?: { type: 'EmailAddress' | 'PhoneNumber'; value: string }
  /** Such as `oidc`. */
  method: string
  /** RFC 3339. */
  timestamp: string
}
