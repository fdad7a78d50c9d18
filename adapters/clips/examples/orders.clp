; Three orders, checked, priced and shipped. What stave-clips shows of it is in docs/clips.md.

(defmodule MAIN (export ?ALL))

(deftemplate order (slot number) (slot article) (slot count) (slot state (default new)))
(deftemplate stock (slot article) (slot count) (slot price))
(deftemplate ordered-again (slot article))

(deffacts start
    (stock (article tea) (count 100) (price 4))
    (stock (article cup) (count 1) (price 9))
    (order (number 1) (article tea) (count 20))
    (order (number 2) (article cup) (count 6))
    (order (number 3) (article pot) (count 1)))

(defrule begin
    =>
    (focus CHECK PRICE SHIP))

(defmodule CHECK (import MAIN ?ALL))

(defrule unknown-article
    (declare (salience 10))
    ?order <- (order (number ?n) (article ?a) (state new))
    (not (stock (article ?a)))
    =>
    (modify ?order (state refused)))

(defrule enough
    ?order <- (order (article ?a) (count ?c) (state new))
    (stock (article ?a) (count ?has&:(>= ?has ?c)))
    =>
    (modify ?order (state checked)))

(defrule too-few
    (order (article ?a) (count ?c) (state new))
    (stock (article ?a) (count ?has&:(< ?has ?c)))
    =>
    (assert (ordered-again (article ?a))))

(defrule delivery
    ?again <- (ordered-again (article ?a))
    ?stock <- (stock (article ?a) (count ?has))
    =>
    (retract ?again)
    (modify ?stock (count (+ ?has 50))))

(defmodule PRICE (import MAIN ?ALL))

(deftemplate discount (slot number))

(defrule many
    (declare (salience 5))
    (order (number ?n) (count ?c&:(>= ?c 10)) (state checked))
    =>
    (assert (discount (number ?n))))

(defrule reduced
    ?discount <- (discount (number ?n))
    ?order <- (order (number ?n) (state checked))
    =>
    (retract ?discount)
    (modify ?order (state priced)))

(defrule full
    ?order <- (order (number ?n) (state checked))
    (not (discount (number ?n)))
    =>
    (modify ?order (state priced)))

(defmodule SHIP (import MAIN ?ALL))

(defrule ship
    ?order <- (order (number ?n) (article ?a) (count ?c) (state priced))
    ?stock <- (stock (article ?a) (count ?has))
    =>
    (modify ?order (state shipped))
    (modify ?stock (count (- ?has ?c))))

(defrule tell
    (order (number ?n) (article ?a) (state ?state&shipped|refused))
    =>
    (printout t "order " ?n ", " ?a ": " ?state crlf))
