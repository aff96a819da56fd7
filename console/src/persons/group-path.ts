/** The page of a group. The last part tells a group that is called `new` from the page that creates one. */
export const groupPath = (name: string) => `/groups/${encodeURIComponent(name)}/members`
