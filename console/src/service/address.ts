/** Where the console is, whatever stands in front of Signet: the server writes it into the page as its `base`. */
const consoleUrl = new URL(document.baseURI)

/** The path that all addresses of the console begin with, such as `/console`. */
const consolePath = consoleUrl.pathname.replace(/\/$/, '')

/** Where the interface is, such as `https://id.example.com`. */
export const serviceUrl = new URL('../', consoleUrl).href.replace(/\/$/, '')

const [, place = '', id] =
  /^(\/o\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|\/operator)(?:\/|$)/i.exec(
    location.pathname.slice(consolePath.length),
  ) ?? []

/** Whose pages these are: of the operator, of nobody, or of `pageOrganization`. Pages of another are another load of the console. */
export const isOperatorsPage = place.toLowerCase() === '/operator'
export const pageOrganization = id?.toLowerCase()

/** Whether this is the page where anybody signs in. */
export const isEntrance = place === '' && /^\/?$/.test(location.pathname.slice(consolePath.length))

/** Whose installation it is, as its operator has named it: the host of the base URL, which the server writes into the page. */
export const installation =
  document.querySelector<HTMLMetaElement>('meta[name="signet-host"]')?.content ?? new URL(serviceUrl).host

/** The path that the addresses of these pages begin with, such as `/console/operator`. */
export const pagesPath = consolePath + place

/** Where anybody signs in. */
export const entrancePath = `${consolePath}/`

/** What the installation tells of its interface. */
export const referencePath = `${new URL(serviceUrl).pathname.replace(/\/$/, '')}/docs`

type Entry = { idp: string; returnTo: string; isFresh?: boolean }

/** Where a person of this organization signs in, and is led back from to a page of it. */
export const continuePath = (organizationId: string, { idp, returnTo, isFresh }: Entry) =>
  `${consolePath}/sign-in?${new URLSearchParams({ organization_id: organizationId, idp, return_to: returnTo, ...(isFresh && { fresh: '1' }) })}`

/** The first page of an organization, or of the operator. */
export const homePathOf = (organizationId: string | undefined) =>
  `${consolePath}/${organizationId ? `o/${organizationId.toLowerCase()}` : 'operator'}/`
