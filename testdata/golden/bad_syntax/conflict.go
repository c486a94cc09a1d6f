package bad_syntax

<<<<<<< HEAD
var a = 1
=======
var a = 2
>>>>>>> other
