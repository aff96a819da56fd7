/**
 * Every sentence of the pages that a person sees, by its key, with a note for translators: where it stands, and what the names in
 * braces stand for. A language is a file beside this one and a row of `languages.ts`. Keep each name in braces, once, wherever the
 * grammar wants it; titles and buttons have no full stop; address the person politely, as a good product does.
 */
export const notes = {
  choose_title: 'Heading of the page where a person chooses how to sign in. {organization}: the name of a company.',
  choose_text: 'Below it. {application}: the name of the program that the person wants to use.',
  choose_list: 'Read out by screen readers before the list of providers (Google, Staff, …); not visible.',
  cancel: 'Button: gives the sign-in up and returns to the application.',
  go_on_title: 'Heading of a page that leads on by itself within a moment.',
  go_on_text: 'Below it. The link or button named `go_on` follows, for browsers that do not go on by themselves.',
  go_on: 'Link or button: continue to the next page.',
  waiting_title: 'Heading while another tab of the browser finishes the same sign-in.',
  waiting_text: 'Below it. The page reloads by itself.',
  sign_in_stuck_title: 'Heading: this attempt to sign in cannot be continued.',
  sign_out_stuck_title: 'Heading: this attempt to sign out cannot be continued.',
  lost_text: 'Below `sign_in_stuck_title`, the possible reasons: too old, used, or of another browser.',
  sign_in_again: 'Button that leads to the start page of the application, where the person signs in anew.',
  sign_in_again_at: 'Where that application has no known address. {application}: its name.',
  sign_in_again_unknown: 'Where we do not know which application the person came from.',
  back_to: 'Button that leads to the start page of the application. {application}: its name.',
  try_again_at: 'Advice on a page of an error. {application}: the name of the program that the person came from.',
  try_again_unknown: 'The same, where we do not know which application it was.',
  tell_operator: 'Introduces a technical text in English, which follows on a line of its own.',
  refused_address: 'Technical, for those who run the application. {address}: the address (URL) that it sent.',
  unavailable_in_title: 'Heading: the service is down for a moment, during a sign-in.',
  unavailable_out_title: 'The same during a sign-out.',
  unavailable_text: 'Below it.',
  fault_title: 'Heading: a fault of the service.',
  request_number: 'For support. {request}: a long technical number.',
  too_many_title: 'Heading: too many attempts from one place within a short time.',
  too_many_text: 'Below it.',
  missing_title: 'Heading: there is no page at this address.',
  missing_text: 'Below it, the possible reasons.',
  bad_request_text: 'The browser sent what the page cannot use. Not the fault of the person.',
  cookies_title: 'Heading: the person has to sign in anew, because the cookies of the browser were removed.',
  cookies_text: 'Below it, the reason. Cookies are what browsers call so.',
  test_over_title: 'Heading. An administrator tried out a sign-in; the test has ended.',
  test_over_text: 'Below it. The result is shown in the window where the administrator began.',
  test_lost_title: 'Heading: the test of an administrator cannot be continued.',
  test_lost_text: 'Below it, the possible reasons.',
  test_again: 'Advice below that.',
  sign_out_title: 'Heading: a question to the person.',
  sign_out_asked: 'Below it. {application}: the program that wants to sign the person out.',
  sign_out_own: 'The same, where no application asked.',
  sign_out: 'Button: yes, sign me out.',
  stay: 'Button: no, leave me signed in.',
  signed_out_title: 'Heading: the person has been signed out.',
  signed_out_of_title: 'Heading: the person has been signed out of one application. {application}: its name.',
  stayed_title: 'Heading: the person chose not to sign out.',
  close_text: 'Below these headings.',
} as const

export type SentenceKey = keyof typeof notes
/** What each file of a language has. */
export type Sentences = Record<SentenceKey, string>
